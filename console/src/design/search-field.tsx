import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { classes } from './classes.ts';
import { inputClasses } from './field.tsx';

/** A text to filter by, in effect after Enter or a blur, or with every key if `isImmediate`, for whole lists. */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
  isImmediate = false,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  isImmediate?: boolean;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = (): void => {
    if (!isImmediate && text.trim() !== value) onChange(text.trim());
  };
  return (
    <form
      className="relative w-64 max-w-full"
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
    >
      <Search aria-hidden="true" className="pointer-events-none absolute top-2 left-2.5 size-4 text-quiet" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={isImmediate ? value : text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => (isImmediate ? onChange : setText)(event.target.value)}
        onBlur={commit}
        className={classes(inputClasses, 'h-8 pl-8', !isImmediate && 'font-mono text-small')}
      />
    </form>
  );
}
