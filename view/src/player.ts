// The time cursor that scene and plots share.

export type Listener = (t: number) => void;

export class Player {
  readonly from: number;
  readonly to: number;
  readonly fps: number;
  speed: number;
  time: number;
  playing = false;
  private readonly listeners: Listener[] = [];
  private readonly states: (() => void)[] = [];
  private last = 0;

  constructor(from: number, to: number, speed: number, fps: number) {
    this.from = from;
    this.to = to;
    this.speed = speed > 0 ? speed : 1;
    this.fps = fps > 0 ? fps : 30;
    this.time = from;
  }

  onTime(listener: Listener): void {
    this.listeners.push(listener);
  }
  onState(listener: () => void): void {
    this.states.push(listener);
  }

  seek(t: number): void {
    this.time = Math.min(this.to, Math.max(this.from, t));
    for (const listener of this.listeners) listener(this.time);
  }

  /** Whole frames of the showing, forwards or back; the showing pauses. */
  step(frames: number): void {
    this.pause();
    this.seek(this.time + (frames * this.speed) / this.fps);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  play(): void {
    if (this.playing || this.to <= this.from) return;
    if (this.time >= this.to) this.seek(this.from);
    this.playing = true;
    this.last = performance.now();
    this.changed();
    requestAnimationFrame(this.frame);
  }
  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  private changed(): void {
    for (const listener of this.states) listener();
  }

  private readonly frame = (now: number): void => {
    if (!this.playing) return;
    const passed = Math.min(0.25, Math.max(0, (now - this.last) / 1000)); // a hidden page does not run ahead
    this.last = now;
    this.seek(this.time + passed * this.speed);
    if (this.time >= this.to) this.pause();
    else requestAnimationFrame(this.frame);
  };
}
