import type { Model } from '@kinora/sdk';
import { Search, SlidersHorizontal, X } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { CallerName } from '../../api/callers.ts';
import { useKey } from '../../app-shell/shortcuts.ts';
import { Button } from '../../design/button.tsx';
import { classes } from '../../design/classes.ts';
import { inputClasses } from '../../design/field.tsx';
import { Select } from '../../design/select.tsx';
import { type GallerySearch, ratios, resolutions, type Since, statuses } from './gallery-search.ts';
import { focusTile } from './use-gallery-keys.ts';

/** A pause of 250 ms in typing is the end of a word. */
const typingMilliseconds = 250;

const statusWords = {
  completed: 'Completed',
  in_progress: 'Running',
  queued: 'Waiting',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const;
const dateWords: Record<Since | 'days', string> = {
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
  days: 'Custom range',
};

/** The filters of the gallery. On a phone all but the text are behind a button. */
export function GalleryFilters({
  search,
  onChange,
  models,
  callers,
}: {
  search: GallerySearch;
  onChange: (search: GallerySearch) => void;
  models: readonly Pick<Model, 'id' | 'name'>[];
  callers: readonly CallerName[];
}) {
  const [isOpen, setIsOpen] = useState(false);
  const { q: _, ...others } = search;
  const count = Object.keys(others).length;
  const set = (change: GallerySearch): void => onChange({ ...search, ...change });
  return (
    <div role="search" aria-label="Filter videos" className="mb-4 flex flex-wrap items-center gap-2">
      <TextFilter text={search.q ?? ''} onChange={(q) => set({ q: q === '' ? undefined : q })} />
      <Button className="md:hidden" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <SlidersHorizontal />
        {count > 0 ? `Filters (${count})` : 'Filters'}
      </Button>
      <div className={classes('flex-wrap items-center gap-2 max-md:w-full md:contents', isOpen ? 'flex' : 'hidden')}>
        <Choice
          label="Status"
          none="All except waiting"
          value={search.status}
          options={statuses.map((value) => [value, statusWords[value]])}
          onChange={(status) => set({ status })}
        />
        <Choice
          label="Model"
          none="Any model"
          value={search.model}
          options={withChosen(
            models.map(({ id, name }) => [id, name]),
            search.model,
          )}
          onChange={(model) => set({ model })}
        />
        <Choice
          label="Resolution"
          none="Any size"
          value={search.resolution}
          options={resolutions.map((value) => [value, value])}
          onChange={(resolution) => set({ resolution })}
        />
        <Choice
          label="Aspect ratio"
          none="Any ratio"
          value={search.ratio}
          options={ratios.map((value) => [value, value])}
          onChange={(ratio) => set({ ratio })}
        />
        <DateFilter search={search} onChange={onChange} />
        <Choice
          label="Created by"
          none="Created by anyone"
          value={search.key}
          options={withChosen(
            callers.map((caller) => [caller.key_id, nameOf(caller)]),
            search.key,
          )}
          onChange={(key) => set({ key })}
        />
        {count + (search.q ? 1 : 0) > 0 && (
          <Button look="quiet" onClick={() => onChange({})}>
            <X />
            Clear
          </Button>
        )}
      </div>
    </div>
  );
}

function TextFilter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const [seen, setSeen] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  // The address has changed by other means, such as the back button.
  if (seen !== text) {
    setSeen(text);
    if (typed.trim() !== text) setTyped(text);
  }
  const change = useEffectEvent((next: string) => {
    if (next !== text) onChange(next);
  });
  useEffect(() => {
    const timer = setTimeout(() => change(typed.trim()), typingMilliseconds);
    return () => clearTimeout(timer);
  }, [typed]);
  useKey({
    '/': (event) => {
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    },
  });
  return (
    <label className="relative min-w-44 grow md:max-w-80">
      <span className="sr-only">Search prompts</span>
      <Search className="pointer-events-none absolute top-2 left-2.5 size-4 text-quiet" aria-hidden="true" />
      <input
        ref={input}
        type="search"
        value={typed}
        maxLength={200}
        placeholder="Search prompts"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') input.current?.blur();
          if (event.key === 'Enter') {
            onChange(typed.trim());
            focusTile(0);
          }
        }}
        className={classes(inputClasses, 'h-8 pr-8 pl-8')}
      />
      {typed === '' && <kbd className="absolute top-2 right-2.5 text-small text-quiet max-md:hidden">/</kbd>}
    </label>
  );
}

function DateFilter({ search, onChange }: { search: GallerySearch; onChange: (search: GallerySearch) => void }) {
  const { since, from, to, ...rest } = search;
  const [isBetween, setIsBetween] = useState(false);
  const areDays = isBetween || from !== undefined || to !== undefined;
  return (
    <>
      <Choice
        label="Date"
        none="Any time"
        value={areDays ? 'days' : since}
        options={(['day', 'week', 'month', 'days'] as const).map((value) => [value, dateWords[value]])}
        onChange={(value) => {
          setIsBetween(value === 'days');
          onChange(value === undefined || value === 'days' ? rest : { ...rest, since: value });
        }}
      />
      {areDays && (
        <div className="flex items-center gap-1">
          <DayField label="From day" value={from} onChange={(day) => onChange({ ...rest, from: day, to })} />
          <span className="text-quiet">to</span>
          <DayField label="To day" value={to} onChange={(day) => onChange({ ...rest, from, to: day })} />
        </div>
      )}
    </>
  );
}

function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
}) {
  return (
    <input
      type="date"
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
      className={classes(inputClasses, 'h-8 w-36')}
    />
  );
}

/** A choice of which none is a value too. */
function Choice<Value extends string>({
  label,
  none,
  value,
  options,
  onChange,
}: {
  label: string;
  none: string;
  value: Value | undefined;
  options: readonly (readonly [value: Value, label: string])[];
  onChange: (value: Value | undefined) => void;
}) {
  return (
    <Select<Value | ''>
      label={label}
      isBare
      className={classes('md:max-w-44 max-md:w-[calc(50%-4px)]', value && '[&_select]:border-accent')}
      value={value ?? ''}
      options={[{ value: '', label: none }, ...options.map(([one, word]) => ({ value: one, label: word }))]}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}

/** Adds what the address names but no list knows, such as a model that is gone. */
function withChosen(options: readonly (readonly [string, string])[], chosen: string | undefined) {
  return chosen === undefined || options.some(([value]) => value === chosen)
    ? options
    : [...options, [chosen, chosen] as const];
}

function nameOf({ name, type, last_four }: CallerName): string {
  return type === 'person' || !last_four ? name : `${name} …${last_four}`;
}
