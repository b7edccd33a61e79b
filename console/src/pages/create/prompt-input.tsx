import { classes } from '../../design/classes.ts';
import { Field, inputClasses } from '../../design/field.tsx';

const maxCharacters = 2000;

/** The prompt, large. ⌘↵ or Ctrl-↵ sends. */
export function PromptInput({
  value,
  onChange,
  onSend,
  isTest,
  problem,
}: {
  value: string;
  onChange: (prompt: string) => void;
  onSend: () => void;
  isTest: boolean;
  problem: string | undefined;
}) {
  // The API counts characters, and not the halves that JavaScript counts.
  const length = [...value.trim()].length;
  const isTooLong = length > maxCharacters;
  const hint = isTest ? (
    <span className="text-test">
      Test mode: the built-in engine renders the video. Add <code>[[fail:engine_crashed]]</code> or{' '}
      <code>[[delay:20]]</code> to try out a failure or a delay.
    </span>
  ) : undefined;
  const tooLong = isTooLong ? `The prompt has ${length} characters. The limit is ${maxCharacters}.` : undefined;
  return (
    <Field label="Prompt" hint={hint} problem={problem ?? tooLong}>
      {(ids) => (
        <textarea
          {...ids}
          rows={6}
          autoFocus
          required
          value={value}
          placeholder="A paper boat drifts down a rain-soaked street at dusk, slow dolly forward"
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            onSend();
          }}
          className={classes(inputClasses, 'block resize-y px-3.5 py-3 text-title')}
        />
      )}
    </Field>
  );
}
