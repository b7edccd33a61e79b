import { classes } from './classes.ts';

/** A choice among a few short words, all of them in sight. */
export function Segments<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly { value: Value; label: string; isDisabled?: boolean }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <div role="group" aria-label={label} className="flex h-8 rounded-box border border-line-strong p-px">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          disabled={option.isDisabled}
          onClick={() => onChange(option.value)}
          className={classes(
            'rounded-small px-2.5 whitespace-nowrap hover:text-ink disabled:cursor-not-allowed disabled:opacity-50',
            option.value === value ? 'bg-raised-more font-medium text-ink' : 'text-quiet',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
