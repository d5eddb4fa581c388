# Five iterations, as mice's own default; rows of the test table are completed and not learned from.
arguments <- commandArgs(trailingOnly = TRUE)
train <- read.csv(arguments[1])
rows <- nrow(train)
both <- train
if (file.exists(arguments[2])) both <- rbind(train, read.csv(arguments[2]))
ignore <- seq_len(nrow(both)) > rows
imputed <- mice::mice(both, m = 1, method = arguments[5], seed = as.integer(arguments[4]), ignore = ignore,
                      remove.collinear = FALSE, printFlag = FALSE)
completed <- mice::complete(imputed)
if (any(ignore)) completed <- completed[ignore, ]
write.csv(format(completed, digits = 17, trim = TRUE), arguments[3], row.names = FALSE, quote = FALSE)
