import { useCallers } from '../../api/callers.ts';
import { useProject } from '../../api/project.tsx';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Select } from '../../design/select.tsx';
import type { AuditLogSearch } from './audit-log-search.ts';
import { auditWords, isAuditAction } from './audit-words.ts';

/** Which events the page shows. */
export function AuditFilters({
  search,
  onChange,
}: {
  search: AuditLogSearch;
  onChange: (next: AuditLogSearch) => void;
}) {
  const { livemode } = useProject();
  const callers = [...useCallers().values()].filter((caller) => caller.livemode === livemode);
  const { action, key, from, to } = search;
  const isKnown = key === undefined || callers.some(({ key_id }) => key_id === key);
  return (
    <div className="mb-4 flex flex-wrap items-end gap-2">
      <Select
        className="w-60 max-sm:w-full"
        label="Action"
        value={action ?? 'all'}
        options={[
          { value: 'all', label: 'All actions' },
          ...Object.entries(auditWords).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(next) => onChange({ ...search, action: isAuditAction(next) ? next : undefined })}
      />
      <Select
        className="w-52 max-sm:w-full"
        label="Who"
        value={key ?? 'all'}
        options={[
          { value: 'all', label: 'Anyone' },
          ...callers.map((caller) => ({
            value: caller.key_id,
            label: caller.name,
            note: caller.type === 'person' ? 'person' : `key …${caller.last_four}`,
          })),
          ...(isKnown || key === undefined ? [] : [{ value: key, label: key }]),
        ]}
        onChange={(next) => onChange({ ...search, key: next === 'all' ? undefined : next })}
      />
      <TextField
        type="date"
        label="From (UTC)"
        value={from ?? ''}
        max={to}
        onChange={(day) => onChange({ ...search, from: day || undefined })}
      />
      <TextField
        type="date"
        label="To (UTC)"
        value={to ?? ''}
        min={from}
        onChange={(day) => onChange({ ...search, to: day || undefined })}
      />
      {Object.keys(search).length > 0 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </div>
  );
}
