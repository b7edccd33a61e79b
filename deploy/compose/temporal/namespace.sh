#!/bin/sh
# Registers Kinora's namespace, unless it exists. Temporal accepts requests some seconds after it has opened its port.
set -eu
for try in 1 2 3 4 5 6 7 8 9 10; do
  temporal operator namespace describe --namespace kinora >/dev/null 2>&1 && exit 0
  # Ended workflows are kept for a day: all that Kinora needs of them later is in its own database.
  temporal operator namespace create --namespace kinora --retention 24h && exit 0
  sleep "$try"
done
echo "the namespace could not be registered" >&2
exit 1
