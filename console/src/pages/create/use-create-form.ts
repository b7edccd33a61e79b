import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type CreateForm, formOf, rollSeed, searchOf } from './create-form.ts';
import type { CreateSearch } from './create-search.ts';

interface State {
  form: CreateForm;
  /** The ids of the tasks on the canvas. */
  tasks: readonly string[];
}

/** 300 ms: the address need not follow every key. */
const writeMilliseconds = 300;

/** The form, which the address of the page follows. A link to another address fills the form again. */
export function useCreateForm() {
  const search: CreateSearch = useSearch({ from: '/app-shell/p/$project/$mode/create' });
  const navigate = useNavigate();
  const [state, setState] = useState(() => stateOf(search));
  const incoming = JSON.stringify(search);
  const written = useRef(incoming);
  /** The router may report an address after a newer one was written; none of ours resets the form. */
  const own = useRef(new Set<string>());
  const outgoing = JSON.stringify(searchOf(state.form, state.tasks));

  useEffect(() => {
    if (incoming === written.current || own.current.has(incoming)) return;
    written.current = incoming;
    setState(stateOf(JSON.parse(incoming) as CreateSearch));
  }, [incoming]);
  useEffect(() => {
    if (outgoing === written.current) return;
    const timer = setTimeout(() => {
      written.current = outgoing;
      own.current.add(outgoing);
      void navigate({ to: '.', search: JSON.parse(outgoing) as CreateSearch, replace: true });
    }, writeMilliseconds);
    return () => clearTimeout(timer);
  }, [outgoing, navigate]);

  return {
    ...state,
    change: (changes: Partial<CreateForm>) => setState(({ form, tasks }) => ({ form: { ...form, ...changes }, tasks })),
    setTasks: (tasks: readonly string[]) => setState(({ form }) => ({ form, tasks })),
  };
}

function stateOf(search: CreateSearch): State {
  return { form: formOf(search, rollSeed), tasks: search.tasks ?? [] };
}
