import { Select } from './select.tsx';

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
] as const;
/** Seconds, as the choice holds them. */
export type Overlap = (typeof overlaps)[number]['value'];

/** How long something keeps working after it was replaced. */
export function OverlapSelect({
  label,
  value,
  onChange,
  hintAtOnce,
  hint,
}: {
  label: string;
  value: Overlap;
  onChange: (value: Overlap) => void;
  /** What it means to end the old one at once. */
  hintAtOnce: string;
  hint: string;
}) {
  return (
    <Select
      label={label}
      options={overlaps}
      value={value}
      onChange={onChange}
      hint={value === '0' ? hintAtOnce : hint}
    />
  );
}
