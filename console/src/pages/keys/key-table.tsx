import type { ApiKey } from '@kinora/sdk';
import { Ban, Ellipsis, RefreshCw, ShieldAlert } from 'lucide-react';
import { type CallerName, useCallers } from '../../api/callers.ts';
import { IconButton } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Moment, useNow } from '../../design/moment.tsx';
import { StatusDot } from '../../design/status.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { isDangerous, scopeInfos } from './scopes.ts';

/** The keys with their last use; those that still work can be rotated and revoked. */
export function KeyTable({
  caption,
  keys,
  onRotate,
  onRevoke,
}: {
  caption: string;
  keys: readonly ApiKey[];
  onRotate?: (key: ApiKey) => void;
  onRevoke?: (key: ApiKey) => void;
}) {
  const callers = useCallers();
  const columns: Column<ApiKey>[] = [
    {
      head: 'Name',
      cell: ({ name, prefix, last_four }) => (
        <div className="max-w-60 min-w-28 max-md:max-w-36">
          <p className="truncate font-medium" title={name}>
            {name}
          </p>
          <p className="font-mono text-small whitespace-nowrap text-quiet">
            {prefix}…{last_four}
          </p>
        </div>
      ),
    },
    { head: 'Scopes', isMinor: true, cell: ({ scopes }) => <ScopeList scopes={scopes} /> },
    {
      head: 'Last used',
      cell: ({ last_used_at }) =>
        last_used_at === null ? <span className="text-quiet">Never</span> : <Moment at={last_used_at} />,
    },
    { head: onRevoke ? 'Expires' : 'Ended', cell: (key) => <Ending apiKey={key} /> },
    {
      head: 'Created',
      isMinor: true,
      cell: ({ created_at, created_by_key_id }) => (
        <>
          <Moment at={created_at} />
          <p className="max-w-40 truncate text-small text-quiet">by {creatorName(created_by_key_id, callers)}</p>
        </>
      ),
    },
  ];
  if (onRotate && onRevoke) {
    columns.push({
      head: 'Actions',
      className: 'w-8 text-right [th&]:text-transparent',
      cell: (key) => (
        <Menu
          trigger={
            <IconButton label={`Actions for ${key.name} …${key.last_four}`}>
              <Ellipsis />
            </IconButton>
          }
          actions={[
            { label: 'Rotate', icon: <RefreshCw />, onSelect: () => onRotate(key) },
            { label: 'Revoke', icon: <Ban />, isDanger: true, onSelect: () => onRevoke(key) },
          ]}
        />
      ),
    });
  }
  return <Table caption={caption} columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

/** Returns who made a key, by name if it is known. */
function creatorName(keyId: string | null, callers: ReadonlyMap<string, CallerName>): string {
  if (keyId === null) return 'an operator';
  const caller = callers.get(keyId);
  if (!caller) return `…${keyId.slice(-6)}`;
  return caller.type === 'person' ? caller.name : `key “${caller.name}”`;
}

function ScopeList({ scopes }: { scopes: ApiKey['scopes'] }) {
  if (scopes.length === scopeInfos.length) {
    return (
      <span className="inline-flex items-center gap-1 text-accent">
        <ShieldAlert aria-hidden="true" className="size-3.5" />
        Everything
      </span>
    );
  }
  return (
    <ul className="flex max-w-md flex-wrap gap-x-3">
      {scopes.map((scope) => (
        <li key={scope} className="inline-flex items-center gap-1 font-mono text-small whitespace-nowrap text-quiet">
          {isDangerous(scope) && <ShieldAlert aria-label="Powerful" className="size-3.5 text-accent" />}
          {scope}
        </li>
      ))}
    </ul>
  );
}

const soonSeconds = 7 * 86_400;

function Ending({ apiKey: { revoked_at, expires_at } }: { apiKey: ApiKey }) {
  const now = useNow() / 1000;
  if (revoked_at !== null) {
    return (
      <span className="flex flex-wrap items-baseline gap-x-1.5">
        <StatusDot tone="quiet">Revoked</StatusDot> <Moment at={revoked_at} />
      </span>
    );
  }
  if (expires_at === null) return <span className="text-quiet">Never</span>;
  return (
    <span className={expires_at > now && expires_at - now < soonSeconds ? 'text-accent' : ''}>
      <Moment at={expires_at} />
    </span>
  );
}
