import { ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Field, inputClasses } from './field.tsx';

export interface Option<Value extends string> {
  value: Value;
  label: string;
  /** A few words after the label. */
  note?: string;
  isDisabled?: boolean;
}

interface SelectProps<Value extends string> {
  label: string;
  options: readonly Option<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  hint?: ReactNode;
  problem?: string | null | undefined;
  isDisabled?: boolean;
  /** Hides the label from sight, for lines of filters. */
  isBare?: boolean;
  className?: string;
}

/** One choice of a list. It is the browser's own, which phones show best and which costs no code. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, options, value, onChange, hint, problem, isDisabled = false, isBare = false, className } = props;
  const select = (ids: object) => (
    <div className="relative">
      <select
        {...ids}
        value={value}
        disabled={isDisabled}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen) onChange(chosen.value);
        }}
        className={classes(inputClasses, 'h-8 cursor-pointer appearance-none truncate pr-7')}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.isDisabled}>
            {option.note ? `${option.label} · ${option.note}` : option.label}
          </option>
        ))}
      </select>
      <ChevronsUpDown className="pointer-events-none absolute top-2 right-2 size-3.5 text-quiet" aria-hidden="true" />
    </div>
  );
  if (isBare) return <div className={className}>{select({ 'aria-label': label })}</div>;
  return (
    <Field label={label} hint={hint} problem={problem} {...(className ? { className } : {})}>
      {(ids) => select(ids)}
    </Field>
  );
}
