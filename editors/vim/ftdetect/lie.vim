" Files of lmc.
autocmd BufNewFile,BufRead *.lie setfiletype lie
