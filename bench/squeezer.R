# RADAU5 (E. Hairer, G. Wanner; package deSolve) on Andrews' squeezer, right-hand side and Jacobian in C.
# Usage: Rscript squeezer.R LIBRARY REPEATS. Writes lines "squeezer JACOBIAN TOLERANCE SECONDS q1 ... q7", for tolerances
# with which it reaches the end; RADAU5 itself writes of those with which it does not.
suppressMessages(library(deSolve))
words <- commandArgs(trailingOnly = TRUE)
loaded <- dyn.load(words[1])
repeats <- as.integer(words[2])
# q, q' = 0, and what follows of q'' and lambda.
y <- c(-0.06171389001427645, 0, 0.4552798191630704, 0.2226683901658859, 0.4873649795438426, -0.2226683901658859,
       1.230547444549821, rep(0, 7), 14222.4439199541138706, -10666.8329399655854029, rep(0, 5),
       98.5668703962410896, -6.12268834425566265, rep(0, 4))
# Its parts with index 1, 2 and 3; the mass matrix is diagonal.
solve_to <- function(tolerance, jacobian, end)
  radau(y, c(0, end), func = "squeezer_rates", parms = NULL, dllname = loaded[["name"]], initfunc = NULL,
        jacfunc = if (jacobian) "squeezer_jacobian" else NULL, jactype = if (jacobian) "fullusr" else "fullint",
        nind = c(14, 7, 6), mass = matrix(c(rep(1, 14), rep(0, 13)), nrow = 1), massup = 0, massdown = 0,
        rtol = tolerance, atol = tolerance, hini = 1e-6, maxsteps = 100000)
time_of <- function(tolerance, jacobian, end)
  system.time(for (i in 1:10) solve_to(tolerance, jacobian, end), gcFirst = FALSE)[["elapsed"]] / 10
for (jacobian in c(TRUE, FALSE)) for (k in seq(6, 20)) {
  tolerance <- 10^(-k / 2)
  result <- try(suppressWarnings(solve_to(tolerance, jacobian, 0.03)), silent = TRUE)
  if (inherits(result, "try-error") || attr(result, "istate")[1] < 0) next
  # What a call of R takes besides: the same to a time of one step.
  best <- Inf
  idle <- Inf
  for (turn in seq_len(repeats)) {
    best <- min(best, time_of(tolerance, jacobian, 0.03))
    idle <- min(idle, time_of(tolerance, jacobian, 1e-7))
  }
  cat("squeezer", if (jacobian) "given" else "differences", tolerance, best - idle, format(result[2, 2:8], digits = 17), "\n")
}
