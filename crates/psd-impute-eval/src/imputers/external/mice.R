# Five iterations, as mice's own default; rows of the test table are completed and not learned from. By default mice drops collinear columns and
# leaves their cells empty. It is then run again with all columns kept; where it stops on these, the cells stay empty.
arguments <- commandArgs(trailingOnly = TRUE)
train <- read.csv(arguments[1])
rows <- nrow(train)
both <- train
if (file.exists(arguments[2])) both <- rbind(train, read.csv(arguments[2]))
ignore <- seq_len(nrow(both)) > rows
completed <- function(...) {
  imputed <- mice::mice(both, m = 1, method = arguments[5], seed = as.integer(arguments[4]), ignore = ignore, printFlag = FALSE, ...)
  done <- mice::complete(imputed)
  if (any(ignore)) done[ignore, ] else done
}
done <- completed()
empty <- sum(is.na(done))
if (empty > 0) {
  again <- tryCatch(completed(remove.collinear = FALSE, eps = 0), error = conditionMessage)
  if (is.data.frame(again)) {
    done <- again
    what <- "run with remove.collinear = FALSE, eps = 0"
  } else {
    what <- paste("with remove.collinear = FALSE, eps = 0 it stops:", gsub("\\s+", " ", again))
  }
  cat("note: mice's defaults leave ", empty, " cells empty; ", what, "\n", sep = "")
}
write.csv(format(done, digits = 17, trim = TRUE), arguments[3], row.names = FALSE, quote = FALSE)
