kinora batch docs/guides/batch/jobs.jsonl --output-folder films
