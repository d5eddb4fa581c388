# Imputes tables with mice's `norm` and pools a regression and a mean, for coverage.py.
# Usage: Rscript coverage.R TABLES.csv INTERVALS.csv M
# TABLES.csv: columns study, y, x1, x2. INTERVALS.csv: columns study, x1_low, x1_high, x2_low, ..., mean_high.

suppressPackageStartupMessages(library(mice))

arguments <- commandArgs(trailingOnly = TRUE)
m <- as.integer(arguments[3])

interval <- function(fits) summary(pool(fits), conf.int = TRUE)[, c("2.5 %", "97.5 %")]

intervals <- function(table) {
  study <- table$study[1]
  completed <- mice(table[, c("y", "x1", "x2")], m = m, method = "norm", seed = study + 1, printFlag = FALSE)
  slopes <- interval(with(completed, lm(y ~ x1 + x2)))[2:3, ]
  mean <- interval(with(completed, lm(y ~ 1)))
  c(study, t(rbind(slopes, mean)))
}

tables <- read.csv(arguments[1])
found <- do.call(rbind, lapply(split(tables, tables$study), intervals))
colnames(found) <- c("study", "x1_low", "x1_high", "x2_low", "x2_high", "mean_low", "mean_high")
write.csv(found, arguments[2], row.names = FALSE)
