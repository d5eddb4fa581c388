# Its own default plugin and settings.
import os
import sys

import pandas as pd
from hyperimpute.plugins.imputers import Imputers

train, test, completed, seed = sys.argv[1:5]
table = pd.read_csv(train)
plugin = Imputers().get("hyperimpute", random_state=int(seed))
plugin.fit(table)
done = plugin.transform(pd.read_csv(test) if os.path.exists(test) else table)
done.columns = table.columns
done.to_csv(completed, index=False)
