import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { inputClasses } from './field.tsx';

/** A text to filter by, in a line of filters. It takes effect with Enter or when the field is left. */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = (): void => {
    if (text.trim() !== value) onChange(text.trim());
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
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        className={`${inputClasses} h-8 pl-8 font-mono text-small`}
      />
    </form>
  );
}
