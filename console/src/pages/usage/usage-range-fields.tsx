import { TextField } from '../../design/field.tsx';
import { Segments } from '../../design/segments.tsx';
import { dayText, type UsagePeriod } from './usage-period.ts';
import type { UsageRange, UsageSearch } from './usage-search.ts';

const ranges: readonly { value: UsageRange; label: string }[] = [
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
  { value: '30d', label: '30 d' },
  { value: '90d', label: '90 d' },
  { value: 'custom', label: 'Custom' },
];

/** Which time the page shows, and how finely. */
export function UsageRangeFields({
  search,
  period,
  onChange,
}: {
  search: UsageSearch;
  period: UsagePeriod;
  onChange: (next: UsageSearch) => void;
}) {
  const range = search.range ?? '7d';
  const first = dayText(period.start);
  const last = dayText(period.end - 1);
  const change = (next: UsageRange): void => {
    const { from: _from, to: _to, ...rest } = search;
    onChange({ ...rest, range: next, ...(next === 'custom' ? { from: first, to: last } : {}) });
  };
  return (
    <div className="mb-5 flex flex-wrap items-end gap-3">
      <Segments label="Time" options={ranges} value={range} onChange={change} />
      {range !== '24h' && (
        <Segments
          label="Bucket"
          options={[
            { value: 'hour', label: 'By hour', isDisabled: !period.mayBeHourly },
            { value: 'day', label: 'By day' },
          ]}
          value={period.bucket}
          onChange={(bucket) => onChange({ ...search, bucket })}
        />
      )}
      {range === 'custom' && (
        <div className="flex items-end gap-2">
          <TextField
            type="date"
            label="From (UTC)"
            value={first}
            max={last}
            onChange={(from) => from && onChange({ ...search, from })}
          />
          <TextField type="date" label="To (UTC)" value={last} onChange={(to) => to && onChange({ ...search, to })} />
        </div>
      )}
    </div>
  );
}
