# Writes mice_pool.json, what R's mice makes of its own examples; test_pool.py compares psd_impute.pool with it.
#
#     Rscript mice_pool.R
#
# Each model holds what goes in (the m estimates, their covariance matrices, the degrees of freedom of the
# complete-data analysis) and what mice and mitml give back. Run once; both files are kept in the repository.

suppressPackageStartupMessages(library(mice))

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))

# A data frame as a list of its columns, for JSON; row names go.
columns <- function(frame) lapply(as.list(frame), function(column) {
  if (is.factor(column)) as.character(column) else column
})

model <- function(call, fit, dfcom = NULL) {
  pooled <- if (is.null(dfcom)) pool(fit) else pool(fit, dfcom = dfcom)
  analyses <- fit$analyses
  list(
    call = call,
    estimates = lapply(analyses, function(a) unname(coef(a))),
    covariances = lapply(analyses, function(a) unname(vcov(a))),
    pooled = columns(pooled$pooled),
    summary95 = columns(summary(pooled, conf.int = TRUE)),
    summary80 = columns(summary(pooled, conf.int = TRUE, conf.level = 0.80))
  )
}

# The joint test of the coefficients that `small` lacks; without df.com as Li, Raghunathan and Rubin have it.
test <- function(fit, small, known_dof) {
  result <- if (known_dof) {
    D1(fit, small)$result
  } else {
    mitml::testModels(as.mitml.result(fit), as.mitml.result(small), method = "D1")$test
  }
  terms <- lapply(list(fit, small), function(f) names(coef(f$analyses[[1]])))
  list(
    tested = I(setdiff(terms[[1]], terms[[2]])), known_dof = known_dof,
    f = result[[1]], df1 = result[[2]], df2 = result[[3]], p = result[[4]], riv = result[[5]]
  )
}

scalar <- function(q, u, n, k) {
  pooled <- pool.scalar(Q = q, U = u, n = n, k = k)
  list(
    estimates = q, variances = u, dfcom = n - k,
    estimate = pooled$qbar, ubar = pooled$ubar, b = pooled$b, t = pooled$t, df = pooled$df, riv = pooled$r,
    fmi = pooled$fmi
  )
}

nhanes_imputed <- mice(nhanes, m = 5, seed = 2024, print = FALSE)
linear <- with(nhanes_imputed, lm(chl ~ age + bmi))
linear_small <- with(nhanes_imputed, lm(chl ~ 1))

nhanes2_imputed <- mice(nhanes2, m = 10, seed = 51009, print = FALSE)
logistic <- with(nhanes2_imputed, glm(hyp ~ bmi + chl, family = binomial))
factors <- with(nhanes2_imputed, lm(bmi ~ age + hyp + chl))
factors_small <- with(nhanes2_imputed, lm(bmi ~ hyp + chl))
factors_one <- with(nhanes2_imputed, lm(bmi ~ age + hyp))

out <- list(
  about = "Written once by mice_pool.R with the versions below; see there.",
  versions = list(
    R = as.character(getRversion()), mice = as.character(packageVersion("mice")),
    mitml = as.character(packageVersion("mitml"))
  ),
  models = list(
    linear = model("lm(chl ~ age + bmi), nhanes, m = 5", linear),
    linear_large_sample = model("lm(chl ~ age + bmi), nhanes, m = 5, dfcom = Inf", linear, Inf),
    logistic = model("glm(hyp ~ bmi + chl, binomial), nhanes2, m = 10", logistic),
    factors = model("lm(bmi ~ age + hyp + chl), nhanes2, m = 10", factors)
  ),
  tests = list(
    linear = list(test(linear, linear_small, TRUE), test(linear, linear_small, FALSE)),
    factors = list(
      test(factors, factors_small, TRUE), test(factors, factors_small, FALSE),
      test(factors, factors_one, TRUE), test(factors, factors_one, FALSE)
    )
  ),
  scalars = list(
    help_page = scalar(c(-1.5457, -1.428), c(0.9723^2, 1.041^2), 25, 2),
    large_sample = scalar(c(-1.5457, -1.428), c(0.9723^2, 1.041^2), Inf, 2)
  )
)
writeLines(
  jsonlite::toJSON(out, digits = NA, auto_unbox = TRUE, pretty = 2, na = "string"),
  file.path(folder, "mice_pool.json")
)
