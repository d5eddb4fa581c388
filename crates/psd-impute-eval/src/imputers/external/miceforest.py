# Five iterations. Rows of the test table are completed together with those of the training table: in 6.0.5 `impute_new_data` leaves new rows
# with their first, random values.
import os
import sys

import miceforest
import pandas as pd

train, test, completed, seed = sys.argv[1:5]
table = pd.read_csv(train)
learned = 0
if os.path.exists(test):
    learned = len(table)
    table = pd.concat([table, pd.read_csv(test)], ignore_index=True)
kernel = miceforest.ImputationKernel(table, num_datasets=1, random_state=int(seed))
kernel.mice(5, num_threads=1)
kernel.complete_data(0)[learned:].to_csv(completed, index=False)
