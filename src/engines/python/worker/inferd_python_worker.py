"""A worker of the Python engine: imports one model's file and runs its executions, one after the other, until the
server is gone."""

from inferd_worker.run import leave, run

if __name__ == "__main__":
    run()
    leave()
