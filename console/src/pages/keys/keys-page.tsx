import type { ApiKey, IssuedApiKey } from '@kinora/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { withFreshSignIn } from '../../api/fresh-sign-in.ts';
import { useProject } from '../../api/project.tsx';
import { useSession } from '../../api/session.ts';
import { useList } from '../../api/use-list.ts';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { LoadMore } from '../../design/load-more.tsx';
import { Moment, useNow } from '../../design/moment.tsx';
import { Page, Section } from '../../design/page.tsx';
import { ShownOnce } from '../../design/shown-once.tsx';
import { Empty, NoPermission, Problem, SkeletonRows } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { firstRequest } from './first-request.ts';
import { works } from './key-state.ts';
import { KeyTable } from './key-table.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

type Open = { what: 'create' } | { what: 'rotate' | 'revoke'; key: ApiKey } | { what: 'issued'; key: IssuedApiKey };

/** The page on which admins manage API keys. */
export function KeysPage() {
  const { may, mode } = useProject();
  if (!may('admin')) {
    return (
      <Page title="Keys">
        <NoPermission>
          Keys give programs access to this project, so only project admins manage them. Ask an admin for a key or for
          the admin role.
        </NoPermission>
      </Page>
    );
  }
  return <Keys key={mode} />;
}

function Keys() {
  const { kinora, key, mode } = useProject();
  const { api_url: apiUrl } = useSession();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<Open | null>(null);
  const now = Math.floor(useNow() / 1000);
  const list = useList(
    [...key, 'api-keys'],
    (after, signal) => kinora.apiKeys.list({ limit: 100, ...after }, { signal }),
    { refetchInterval: 30_000 },
  );
  const changed = (): void => void queryClient.invalidateQueries({ queryKey: [...key, 'api-keys'] });
  const issued = (created: IssuedApiKey): void => {
    setOpen({ what: 'issued', key: created });
    changed();
  };
  const working = list.items?.filter((one) => works(one, now)) ?? [];
  const ended = list.items?.filter((one) => !works(one, now)) ?? [];
  const create = (
    <Button look="primary" onClick={() => setOpen({ what: 'create' })}>
      <Plus />
      Create key
    </Button>
  );
  return (
    <Page
      title="Keys"
      lead={`API keys for programs, in ${mode} mode. People who use this console need no key.`}
      actions={list.items?.length !== 0 && create}
    >
      {list.isPending ? (
        <SkeletonRows />
      ) : list.isError && !list.items ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.items?.length === 0 ? (
        <Empty title={`No ${mode} keys yet`} action={create}>
          A key lets your program call the API. This page lists each key with its scopes and its last use.
        </Empty>
      ) : (
        <>
          {working.length > 0 ? (
            <div className="mb-8">
              <KeyTable
                caption="Valid keys"
                keys={working}
                onRotate={(one) => setOpen({ what: 'rotate', key: one })}
                onRevoke={(one) => setOpen({ what: 'revoke', key: one })}
              />
            </div>
          ) : (
            <p className="mb-8 text-quiet">No valid keys.</p>
          )}
          {ended.length > 0 && (
            <Section title="Expired and revoked">
              <KeyTable caption="Expired and revoked keys" keys={ended} />
            </Section>
          )}
          <LoadMore list={list} />
        </>
      )}
      {open?.what === 'create' && <CreateKeyDialog onCreated={issued} onClose={() => setOpen(null)} />}
      {open?.what === 'rotate' && (
        <RotateKeyDialog apiKey={open.key} onRotated={issued} onClose={() => setOpen(null)} />
      )}
      {open?.what === 'revoke' && (
        <ConfirmDialog
          title={`Revoke “${open.key.name}”`}
          action="Revoke key"
          isDanger
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await withFreshSignIn(async () => kinora.apiKeys.revoke(open.key.id));
            toast(`“${open.key.name}” was revoked.`);
            changed();
          }}
        >
          <p>
            Requests with{' '}
            <code className="text-small">
              {open.key.prefix}…{open.key.last_four}
            </code>{' '}
            are refused from now on, and its event streams end. Tasks that it created continue. This cannot be undone.
          </p>
          <p className="mt-2 text-quiet">
            {open.key.last_used_at === null ? (
              'It was never used, so nothing should break.'
            ) : (
              <>
                It was last used <Moment at={open.key.last_used_at} />. If a program still needs it, rotate it instead.
              </>
            )}
          </p>
        </ConfirmDialog>
      )}
      {open?.what === 'issued' && (
        <ShownOnce
          title={`Key “${open.key.name}”`}
          lead="Copy the key now. Kinora stores only its hash, so nobody can see it again."
          secret={open.key.key}
          secretName="API key"
          onClose={() => setOpen(null)}
        >
          <div>
            <h3 className="mb-1 text-small font-medium text-quiet">Your first request</h3>
            <CodeBlock code={firstRequest(apiUrl, open.key.key, open.key.scopes)} label="A first request" />
          </div>
        </ShownOnce>
      )}
    </Page>
  );
}
