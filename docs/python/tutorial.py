# %% [markdown]
# # From a table with gaps to an answer
#
# This tutorial takes a messy table through everything the package does: completing it, saying how sure that
# is, analysing it, and using it in scikit-learn. It reads no file. Run it cell by cell (Jupyter with
# jupytext, VS Code, Spyder), or as a whole: `python docs/python/tutorial.py`. Beside psd_impute it needs
# pandas, PyArrow, matplotlib, statsmodels and polars. The tests of the package run it too.

# %%
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from psd_impute import PSDImputer, plot, pool

# %% [markdown]
# ## A messy table
#
# 400 people of a made-up clinic: an identifier, a date, a category, a yes or no, a whole number and three
# measurements. Blood pressure grows by half a point with each year of age, and by 0.4 with each kilogram.

# %%
rng = np.random.default_rng(7)
n = 400
age = rng.integers(20, 80, n)
female = rng.random(n) < 0.5
height = np.where(female, 165, 178) + rng.normal(0, 7, n)
weight = 25 * (height / 100) ** 2 * rng.lognormal(0, 0.15, n)
whole = pd.DataFrame(
    {
        "id": [f"P{k:04d}" for k in rng.permutation(n)],
        "joined": pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, n), unit="D"),
        "sex": pd.Categorical(np.where(female, "female", "male")),
        "age": pd.array(age, dtype="Int64"),
        "height": height.round(1),
        "weight": weight.round(1),
        "pressure": (70 + 0.5 * age + 0.4 * weight + rng.normal(0, 9, n)).round(),
        "smoker": pd.array(rng.random(n) < 0.45 - 0.004 * age, dtype="boolean"),
    },
    index=pd.RangeIndex(1000, 1000 + n, name="visit"),
)

# %% [markdown]
# Now cells go missing. The young skip the scales, so weights are not missing completely at random. But age is
# known of most, and explains it. We keep the whole table, to see later what the gaps have cost.

# %%
chance = pd.DataFrame(0.0, index=whole.index, columns=whole.columns)
chance["weight"] = np.where(age < 45, 0.6, 0.1)
chance[["pressure", "height"]] = 0.2
chance[["sex", "smoker", "joined"]] = 0.1
chance["age"] = 0.05
gone = rng.random(whole.shape) < chance.to_numpy()
table = whole.mask(gone)
table.head()

# %% [markdown]
# ## What is missing?
#
# Look before you fill. A column that is nearly empty, or columns that go missing together, tell you more than
# any imputer can.

# %%
print(table.isna().sum())
print(f"{len(table.dropna())} of {len(table)} rows are complete")

# %%
plot.missingness(table)

# %%
plot.patterns(table)

# %% [markdown]
# ## Fit
#
# `fit` learns the joint distribution of all columns from every observed cell. There is nothing to choose:
# candidates are weighed by cross-validation. A blood pressure cannot be negative, nobody is 150 years old:
# `bounds` say so.

# %%
imputer = PSDImputer(bounds={"age": (18, 100), "pressure": (60, None)}, random_state=0).fit(table)
print(imputer.report_)

# %% [markdown]
# The report shows the held-out log-likelihood: how well the model foretells rows that it has not seen. Higher
# is better, and the normal model is the mark to beat. The note says that `id` is left alone: it identifies
# rows.

# %%
assert imputer.report_.held_out > imputer.report_.normal_held_out
assert any("id" in note for note in imputer.report_.notes)
plot.convergence(imputer)

# %% [markdown]
# Does the model know what it says? Hide observed cells one at a time and look whether its 90 % intervals hold
# them.

# %%
plot.over_imputation(imputer, table)

# %% [markdown]
# ## Complete the table
#
# `transform` writes a draw into each missing cell: a value that could have been there. Draws keep spread and
# correlations as they are, which the best guess of each cell does not.

# %%
completed = imputer.transform(table)
completed.head()

# %% [markdown]
# What changes: the missing cells. What does not: observed cells, dtypes, the index, the names, the order of
# columns.

# %%
assert not completed.isna().to_numpy().any()
assert (completed.dtypes == table.dtypes).all()
assert completed.index.equals(table.index)
for name in table:
    seen = table[name].notna()
    assert completed.loc[seen, name].equals(table.loc[seen, name])
assert completed["age"].between(18, 100).all()

# %% [markdown]
# The same row gets the same draw, alone or among others: the draw depends on the row's cells and the seed. So
# a table can be completed in batches. (Rows that are equal get a draw each, in their order.)

# %%
assert imputer.transform(table[100:150]).equals(completed[100:150])

# %% [markdown]
# Means have too little spread: they forget what varies between people who are alike. Draws have more of it.

# %%
means = imputer.set_params(method="mean").transform(table)
imputer.set_params(method="draw")
filled = table["weight"].isna()
spread = {name: data.loc[filled, "weight"].std() for name, data in
          {"before": whole, "drawn": completed, "means": means}.items()}
print({name: f"{value:.1f} kg" for name, value in spread.items()})
assert spread["means"] < spread["drawn"]

# %%
plot.densities(table, completed)

# %%
plot.pairs(table, completed, columns=["age", "height", "weight", "pressure"])

# %% [markdown]
# ## How sure is a cell?
#
# `conditional` gives the distribution of each missing cell given what is known of its row: mean, deviation
# and quantiles of numbers and dates, probabilities of categories.

# %%
cells = imputer.conditional(table)
cells["weight"].to_frame().head()

# %%
cells["sex"].to_frame().head()

# %% [markdown]
# We know what was taken away, so we can count how many of the 95 % intervals hold the truth. Expect somewhat
# fewer than 95 %: the intervals take the fit as exact, which 400 rows do not make it.

# %%
weights = cells["weight"]
truth = whole["weight"].to_numpy()[weights.rows]
inside = (weights.quantiles[:, 0] <= truth) & (truth <= weights.quantiles[:, 1])
print(f"{100 * inside.mean():.0f} % of {len(weights)} intervals hold the weight that was there")
assert inside.mean() > 0.85

# %% [markdown]
# ## An answer with honest intervals
#
# How does blood pressure depend on age and weight? One completed table would pretend that its filled cells
# were observed. So complete the table 20 times, analyse each and pool. `impute` refits the model under random
# weights of the rows for each table, so that the pooled intervals also know how uncertain the fit is.

# %%
import statsmodels.formula.api as smf


def regression(data):
    numbers = data[["pressure", "age", "weight"]].astype(float)
    return smf.ols("pressure ~ age + weight", numbers).fit()


pooled = pool(regression(one) for one in imputer.impute(table, m=20))
print(pooled)

# %% [markdown]
# Beside it: the regression before cells were taken away, which nobody has in practice, and that of the
# complete rows only, which is what statistics programs do unless told otherwise.

# %%
before, rows_only = regression(whole), regression(table.dropna())
pd.DataFrame(
    {
        "true value": [70, 0.5, 0.4],
        "before": before.params,
        "its error": before.bse,
        "pooled": pooled.estimate,
        "its error ": pooled.std_error,
        "complete rows": rows_only.params,
        "its error  ": rows_only.bse,
    }
).round(3)

# %% [markdown]
# The pooled errors are larger than those of the whole table, as they must be, and smaller than those of the
# complete rows: the cells that are there in incomplete rows count. The pooled intervals hold the true values.

# %%
intervals = pooled.conf_int()
assert ((intervals[:, 0] < [70, 0.5, 0.4]) & ([70, 0.5, 0.4] < intervals[:, 1])).all()
assert (pooled.std_error > before.bse).all()
assert (pooled.std_error < rows_only.bse).all()

# %% [markdown]
# ## In a scikit-learn pipeline
#
# The imputer is a transformer like any other. Inside cross-validation it is fitted to the training rows only,
# so nothing of the test rows leaks. For prediction, means are the better choice: draws add noise that
# averages out over analyses, but not in one prediction.

# %%
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

known = table["pressure"].notna()
X = table.loc[known, ["age", "height", "weight"]].astype(float)
y = table.loc[known, "pressure"]
pipeline = make_pipeline(PSDImputer(method="mean", random_state=0), LinearRegression())
scores = cross_val_score(pipeline, X, y, cv=5)
print(f"R² {scores.mean():.2f} ± {scores.std():.2f}")
assert scores.mean() > 0.2

# %% [markdown]
# ## Unusual rows
#
# The model is a density, so it can say how likely a row is. Somebody of two metres and 45 kilograms stands
# out, though each of the two numbers alone could be right. Rows are compared with rows that have the same
# cells observed, here all.

# %%
rows = table.dropna().copy()
rows.iloc[3, rows.columns.get_loc("height")] = 200.0
rows.iloc[3, rows.columns.get_loc("weight")] = 45.0
scores = pd.Series(imputer.score_samples(rows), index=rows.index)
print(rows.assign(score=scores).nsmallest(3, "score"))
assert scores.idxmin() == rows.index[3]

# %% [markdown]
# ## New rows
#
# `sample` draws whole rows: for a demonstration, a test, a plan of a study. Identifiers are not modelled, so
# they come without values.

# %%
new = imputer.sample(500, random_state=1)
print(new.head())
assert new["id"].isna().all()
assert abs(new["age"].astype(float).mean() - whole["age"].mean()) < 5

# %% [markdown]
# ## Keep the model
#
# A saved model completes other rows later, on another machine. It holds rows of the table it was fitted to,
# so keep it as you keep the data. A loaded model has the seed of its fit and gives the same draws. Settings
# such as bounds are given anew.

# %%
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "clinic.psd"
imputer.save(path)
again = PSDImputer.load(path, bounds=imputer.bounds)
assert again.transform(table).equals(completed)

# %% [markdown]
# The command reads the same file:
#
# ```sh
# psd-impute describe clinic.psd
# psd-impute impute new_patients.csv --model clinic.psd -o done.csv
# ```
#
# ## Polars, PyArrow, NumPy
#
# A table comes back as what it was. The same cells give the same draws in whatever kind of table they come.

# %%
import polars as pl

frame = pl.from_pandas(table)
done = PSDImputer(bounds=imputer.bounds, random_state=0).fit_transform(frame)
assert isinstance(done, pl.DataFrame)
assert done.schema == frame.schema
np.testing.assert_array_equal(done["weight"].to_numpy(), completed["weight"].to_numpy())
folder.cleanup()
