;;; lie-mode.el --- Models of lmc -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Colours, comments, indentation and formatting of .lie files, and the language server `lmc lsp' for eglot:
;;
;;   (require 'lie-mode)
;;   (add-hook 'lie-mode-hook #'eglot-ensure)

;;; Code:

(defgroup lie nil
  "Models of lmc."
  :group 'languages)

(defcustom lie-lmc-program "lmc"
  "The program lmc."
  :type 'string
  :group 'lie)

(defvar lie-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\r "> b" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?' "." table)
    (dolist (sign '(?+ ?- ?= ?^ ?< ?> ?× ?·)) (modify-syntax-entry sign "." table))
    table)
  "Syntax of .lie files.")

(defconst lie--name "[[:alpha:]_][[:alnum:]_]*")

(defun lie--words (words before after)
  "A matcher of WORDS between what fits BEFORE and AFTER, regular expressions.
Nothing else is consumed: of `velocity w in space' both words are found."
  (let ((word (concat "\\<" (regexp-opt words t) "\\>")))
    (lambda (limit)
      (let (found)
        (while (and (not found) (re-search-forward word limit t))
          (setq found (save-match-data
                        (and (looking-at-p after)
                             (save-excursion
                               (goto-char (match-beginning 0))
                               (looking-back before (line-beginning-position)))))))
        found))))

(defconst lie-font-lock-keywords
  `((,(regexp-opt '("model" "tableau" "variational" "import" "fn" "let" "param" "config" "dissipation" "initial"
                    "observe" "simulate" "for" "if" "then" "else" "and" "or" "not")
                  'words)
     . font-lock-keyword-face)
    ;; Words that are keywords in their places alone.
    (,(concat "^[ \t]*\\<\\(group\\|manifold\\|method\\|joint\\)\\>[ \t]+\\(" lie--name "\\)")
     (1 font-lock-keyword-face)
     (2 font-lock-type-face))
    (,(lie--words '("state" "input" "flow" "event" "every" "reset" "constraint" "contact" "joint" "force" "element"
                    "algebra" "point" "group" "holds" "solve" "keep" "next" "embedded" "discrete" "order")
                  "\\(?:^\\|[;{}]\\)[ \t]*" "[ \t]+[^= \t]")
     . font-lock-keyword-face)
    (,(lie--words '("lagrangian" "hamiltonian") "\\(?:^\\|[;{}]\\)[ \t]*" "[ \t]*=") . font-lock-keyword-face)
    (,(lie--words '("lagrangian" "force") "\\<discrete[ \t]+" "") . font-lock-keyword-face)
    (,(lie--words '("view") "\\(?:^\\|[;{}]\\)[ \t]*" "[ \t]*[={]") . font-lock-keyword-face)
    (,(lie--words '("adjust") "\\<initial[ \t]+" (concat "[ \t]+" lie--name)) . font-lock-keyword-face)
    (,(lie--words '("on") "\\<force[ \t]+" (concat "[ \t]+" lie--name)) . font-lock-keyword-face)
    (,(lie--words '("velocity" "momentum" "in" "where" "at" "when" "on" "order" "from" "tolerance" "limit")
                  "[])'[:alnum:]_][ \t]+" "[ \t]+[^=: \t\n]")
     . font-lock-keyword-face)
    (,(lie--words '("velocity" "momentum" "in" "where" "at" "when" "on" "from" "tolerance" "limit")
                  "^[ \t]*" "[ \t]+[[(_[:alnum:]]")
     . font-lock-keyword-face)
    (,(lie--words '("next") "" (concat "[ \t]+" lie--name)) . font-lock-keyword-face)
    (,(concat "\\<\\(sum\\|product\\)(" lie--name "[ \t]+in\\>") (1 font-lock-builtin-face))
    (,(concat "\\<\\(?:model\\|fn\\|tableau\\|variational\\)[ \t]+\\(" lie--name "\\)") (1 font-lock-function-name-face))
    (,(concat ":[ \t]*\\(" lie--name "\\)") (1 font-lock-type-face))
    (,(concat "\\<\\(?:param\\|let\\|config\\|state\\|discrete\\|input\\|observe\\)[ \t]+\\(" lie--name "\\)")
     (1 font-lock-variable-name-face)))
  "Colours of .lie files.")

(defun lie-indent-line ()
  "Indent a line by the braces around it.
Lines that go on with a statement stay where they are."
  (interactive)
  (let ((depth 0) (goes-on nil) (below nil))
    (save-excursion
      (beginning-of-line)
      (let ((state (syntax-ppss)))
        (dolist (open (nth 9 state))
          (when (eq (char-after open) ?{) (setq depth (1+ depth)))))
      ;; What stands behind a brace on its line has the rest of the body below it.
      (unless (looking-at "[ \t]*}")
        (let ((open (nth 1 (syntax-ppss))))
          (when (and open (eq (char-after open) ?{))
            (save-excursion
              (goto-char (1+ open))
              (skip-chars-forward " \t")
              (unless (or (eolp) (looking-at "/[/*]")) (setq below (current-column)))))))
      (when (looking-at "[ \t]*}") (setq depth (max 0 (1- depth))))
      (unless (looking-at "[ \t]*\\(?:}\\|//\\|/\\*\\)")
        (let ((begin (point)))
          (forward-comment (- (buffer-size)))
          (setq goes-on (and (< (point) begin) (not (bobp)) (not (memq (char-before) '(?\; ?{ ?})))
                             (> depth 0))))))
    (unless goes-on
      (let ((behind (- (point-max) (point))))
        (indent-line-to (or below (* 2 depth)))
        (when (> (- (point-max) behind) (point)) (goto-char (- (point-max) behind)))))))

(defun lie-format-buffer ()
  "Put blanks and indentation in order by `lmc fmt'."
  (interactive)
  (let ((result (generate-new-buffer " *lmc fmt*")) (source (current-buffer)) (coding-system-for-read 'utf-8-unix)
        (coding-system-for-write 'utf-8-unix))
    (unwind-protect
        (if (eq 0 (call-process-region nil nil lie-lmc-program nil (list result nil) nil "fmt" "-"))
            (with-current-buffer source (replace-buffer-contents result))
          (message "The text has errors and stays as it is"))
      (kill-buffer result))))

(defun lie-run ()
  "Run the model of this file."
  (interactive)
  (compile (concat (shell-quote-argument lie-lmc-program) " run " (shell-quote-argument (buffer-file-name)))))

(defun lie-derive ()
  "Show the equations of this file's model."
  (interactive)
  (shell-command (concat (shell-quote-argument lie-lmc-program) " derive " (shell-quote-argument (buffer-file-name)))))

(defvar lie-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-f") #'lie-format-buffer)
    (define-key map (kbd "C-c C-c") #'lie-run)
    (define-key map (kbd "C-c C-d") #'lie-derive)
    map)
  "Keys of `lie-mode'.")

;;;###autoload
(define-derived-mode lie-mode prog-mode "lie"
  "Major mode for models of lmc."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+[ \t]*")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'lie-indent-line)
  (setq-local font-lock-defaults '(lie-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.lie\\'" . lie-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs `(lie-mode . (,lie-lmc-program "lsp"))))

(provide 'lie-mode)
;;; lie-mode.el ends here
