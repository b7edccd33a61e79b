// Joins the reports of parts that ran on machines of their own, and prints one: `join-nightly.ts REPORT…`.
import { readFileSync } from 'node:fs';
import { addToHistory, readHistory } from './nightly-history.ts';
import { type PartResult, renderReport } from './nightly-report.ts';

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')) as PartResult[]);
console.log(renderReport(reports.flat(), readHistory()));
for (const result of reports.flat()) addToHistory(result);
