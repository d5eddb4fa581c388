# Five iterations; rows of the test table are completed by the forests of the training table.
import os
import sys

import miceforest
import pandas as pd

train, test, completed, seed = sys.argv[1:5]
kernel = miceforest.ImputationKernel(pd.read_csv(train), num_datasets=1, random_state=int(seed))
kernel.mice(5, num_threads=1)
if os.path.exists(test):
    kernel = kernel.impute_new_data(pd.read_csv(test), random_state=int(seed))
kernel.complete_data(0).to_csv(completed, index=False)
