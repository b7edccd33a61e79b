import type { IssuedApiKey } from '@kinora/sdk';
import { useMutation } from '@tanstack/react-query';
import { ShieldAlert } from 'lucide-react';
import { useState } from 'react';
import { withFreshSignIn } from '../../api/fresh-sign-in.ts';
import { useProject } from '../../api/project.tsx';
import { Checkbox } from '../../design/checkbox.tsx';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Select } from '../../design/select.tsx';
import { Problem } from '../../design/states.tsx';
import { expiryOf, type Lifetime, lifetimes } from './key-state.ts';
import { defaultScopes, type Scope, scopeInfos } from './scopes.ts';

/** Asks what a new key is for, what it may do and how long it lives. */
export function CreateKeyDialog({
  onCreated,
  onClose,
}: {
  onCreated: (key: IssuedApiKey) => void;
  onClose: () => void;
}) {
  const { kinora, mode } = useProject();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(defaultScopes);
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [isTried, setIsTried] = useState(false);
  const create = useMutation({
    mutationFn: () => {
      const expiresAt = expiryOf(lifetime, Date.now());
      const request = { name: name.trim(), scopes: [...scopes], ...(expiresAt ? { expires_at: expiresAt } : {}) };
      return withFreshSignIn(async () => kinora.apiKeys.create(request));
    },
    onSuccess: onCreated,
  });
  const turn = (scope: Scope, isOn: boolean): void =>
    setScopes(scopeInfos.map((info) => info.scope).filter((one) => (one === scope ? isOn : scopes.includes(one))));
  return (
    <FormDialog
      title={`Create a ${mode} key`}
      lead="Create one key per program, with only the scopes it needs. Then you can revoke each key alone."
      action="Create key"
      dismissal="Close"
      isBusy={create.isPending}
      isCheckedHere
      onSubmit={() => {
        setIsTried(true);
        if (name.trim() !== '' && scopes.length > 0) create.mutate();
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoFocus
        autoComplete="off"
        maxLength={100}
        placeholder="Production site"
        value={name}
        onChange={setName}
        problem={isTried && name.trim() === '' ? 'Say what the key is for.' : null}
      />
      <fieldset>
        <legend className="mb-1 text-small font-medium text-quiet">Scopes</legend>
        <ul className="divide-y border-y">
          {scopeInfos.map(({ scope, about, danger }) => (
            <li key={scope} className="py-1.5">
              <Checkbox label={scope} isChecked={scopes.includes(scope)} onChange={(isOn) => turn(scope, isOn)}>
                <code className="text-small">{scope}</code> <span className="text-quiet">{about}</span>
                {danger && (
                  <span className="flex items-center gap-1 text-small text-accent">
                    <ShieldAlert aria-hidden="true" className="size-3.5 shrink-0" />
                    {danger}
                  </span>
                )}
              </Checkbox>
            </li>
          ))}
        </ul>
        {isTried && scopes.length === 0 && (
          <p role="alert" className="mt-1 text-small text-failed">
            Choose at least one.
          </p>
        )}
      </fieldset>
      <Select
        label="Valid for"
        options={lifetimes}
        value={lifetime}
        onChange={setLifetime}
        hint={
          lifetime === 'never'
            ? 'A leaked key works until somebody notices.'
            : 'Rotate it before it expires, and nothing breaks.'
        }
      />
      {create.isError && <Problem isInline error={create.error} />}
    </FormDialog>
  );
}
