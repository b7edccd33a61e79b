#!/bin/sh
# Creates the tables of Temporal, or upgrades them to this release. Safe to run again.
set -eu
for database in temporal temporal_visibility; do
  schema=postgresql/v12/${database#temporal_}
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "$schema"
done
