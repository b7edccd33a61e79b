import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { UserRoundPlus } from 'lucide-react';
import { useState } from 'react';
import { changePerson, type Person, peopleQuery, resetPassword } from '../../api/people.ts';
import { useSession } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { Page } from '../../design/page.tsx';
import { SearchField } from '../../design/search-field.tsx';
import { NoPermission, Problem, SkeletonRows } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { AddPersonDialog } from './add-person-dialog.tsx';
import { findPeople } from './people-search.ts';
import { PeopleTable } from './people-table.tsx';
import { confirmDisabling, confirmOperator, type PersonConfirmation } from './person-confirmations.ts';
import { RenamePersonDialog } from './rename-person-dialog.tsx';
import { type SetupLink, SetupLinkDialog } from './setup-link.tsx';

type Open = { add: true } | { link: SetupLink } | { rename: Person } | { confirm: PersonConfirmation };

export function PeoplePage() {
  const { person } = useSession();
  if (!person.is_operator) {
    return (
      <Page title="People">
        <NoPermission>Only operators can add people and choose operators.</NoPermission>
      </Page>
    );
  }
  return <People />;
}

function People() {
  const { data, error, refetch } = useQuery(peopleQuery);
  const { text = '' } = useSearch({ from: '/app-shell/people' });
  const navigate = useNavigate({ from: '/people' });
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const refresh = peopleQuery.queryKey;
  const reset = useChange((person: Person) => resetPassword(person.id), {
    refresh,
    onDone: ({ setup_url }, { name }) => setup_url && setOpen({ link: { name, url: setup_url } }),
    onFailed: (failure) => toast(failure.message),
  });
  const enable = useChange((person: Person) => changePerson(person.id, { is_disabled: false }), {
    refresh,
    onDone: (_, { name }) => toast(`${name} can sign in again.`),
    onFailed: (failure) => toast(failure.message),
  });
  const confirmed = useChange(({ person, change }: PersonConfirmation) => changePerson(person.id, change), {
    refresh,
    onDone: (_, { done }) => toast(done),
  });
  const found = findPeople(data ?? [], text);
  return (
    <Page
      title="People"
      lead="Everyone who can sign in. Programs use API keys instead."
      actions={
        <Button look="primary" onClick={() => setOpen({ add: true })}>
          <UserRoundPlus />
          Add a person
        </Button>
      }
    >
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows />}
      {data && (
        <>
          <div className="mb-4">
            <SearchField
              label="Find people"
              placeholder="Name, address or project"
              isImmediate
              value={text}
              onChange={(next) => void navigate({ search: next ? { text: next } : {}, replace: true })}
            />
          </div>
          {found.length === 0 && <p className="py-6 text-quiet">No people match “{text}”.</p>}
          {found.length > 0 && (
            <PeopleTable
              people={found}
              actions={{
                onRename: (rename) => setOpen({ rename }),
                onReset: (person) => reset.mutate(person),
                onOperator: (person) => setOpen({ confirm: confirmOperator(person) }),
                onDisable: (person) => setOpen({ confirm: confirmDisabling(person) }),
                onEnable: (person) => enable.mutate(person),
              }}
            />
          )}
        </>
      )}
      {open && 'add' in open && <AddPersonDialog onClose={close} onLink={(link) => setOpen({ link })} />}
      {open && 'link' in open && <SetupLinkDialog link={open.link} onClose={close} />}
      {open && 'rename' in open && <RenamePersonDialog person={open.rename} onClose={close} />}
      {open && 'confirm' in open && (
        <ConfirmDialog
          title={open.confirm.title}
          action={open.confirm.action}
          dismissal="Cancel"
          isDanger={open.confirm.isDanger}
          onConfirm={() => confirmed.mutateAsync(open.confirm)}
          onClose={close}
        >
          {open.confirm.meaning}
        </ConfirmDialog>
      )}
    </Page>
  );
}
