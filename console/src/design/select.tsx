import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Field, inputClasses } from './field.tsx';

export interface Option<Value extends string> {
  value: Value;
  label: string;
  /** A few quiet words after the label. */
  note?: ReactNode;
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

/** One choice of a list. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, options, value, onChange, hint, problem, isDisabled, isBare = false, className } = props;
  const chosen = options.find((option) => option.value === value);
  const select = (ids: object) => (
    <Base.Root
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      disabled={isDisabled ?? false}
      items={options.map((option) => ({ value: option.value, label: option.label }))}
    >
      <Base.Trigger
        {...ids}
        {...(isBare ? { 'aria-label': `${label}: ${chosen?.label ?? value}` } : {})}
        className={classes(inputClasses, 'flex h-8 items-center justify-between gap-2 text-left')}
      >
        <Base.Value className="truncate" />
        <ChevronsUpDown className="size-3.5 shrink-0 text-quiet" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-40">
          <Base.Popup className="max-h-80 min-w-(--anchor-width) overflow-y-auto rounded-box border border-line-strong bg-raised p-1">
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                disabled={option.isDisabled ?? false}
                className="flex cursor-default items-center gap-2 rounded-small px-2 py-1 data-disabled:opacity-50 data-highlighted:bg-raised-more"
              >
                <span className="w-3.5">
                  <Base.ItemIndicator>
                    <Check className="size-3.5 text-lamp" />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText>{option.label}</Base.ItemText>
                {option.note && <span className="ml-auto pl-4 text-small text-quiet">{option.note}</span>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
  if (isBare) return <div className={className}>{select({})}</div>;
  return (
    <Field label={label} hint={hint} problem={problem} {...(className ? { className } : {})}>
      {(ids) => select(ids)}
    </Field>
  );
}
