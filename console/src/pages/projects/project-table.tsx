import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import type { ManagedProject } from '../../api/all-projects.ts';
import { IconButton } from '../../design/button.tsx';
import { Copyable } from '../../design/copyable.tsx';
import { formatBytes, formatCount } from '../../design/format.ts';
import { Menu } from '../../design/menu.tsx';
import { Moment } from '../../design/moment.tsx';
import { Meter } from '../../design/progress.tsx';
import { StatusDot } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';

interface ProjectTableProps {
  projects: readonly ManagedProject[];
  onEdit: (project: ManagedProject) => void;
  onSuspend: (project: ManagedProject) => void;
  onResume: (project: ManagedProject) => void;
}

/** All projects: what they use now of what they may use. */
export function ProjectTable({ projects, onEdit, onSuspend, onResume }: ProjectTableProps) {
  return (
    <Table
      caption="Projects"
      rows={projects}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Project', cell: (project) => <Name project={project} /> },
        { head: 'Running', cell: (project) => <PerMode project={project} what="running" />, isNumber: true },
        { head: 'Waiting', cell: (project) => <PerMode project={project} what="waiting" />, isNumber: true },
        { head: 'Stored', cell: (project) => <Stored project={project} />, isMinor: true, className: 'w-48 md:pl-6' },
        {
          head: 'Per minute',
          cell: ({ creates_per_minute, reads_per_minute }) => (
            <>
              {formatCount(creates_per_minute)} creates
              <br />
              <span className="text-quiet">{formatCount(reads_per_minute)} reads</span>
            </>
          ),
          isNumber: true,
          isMinor: true,
        },
        { head: 'Weight', cell: ({ weight }) => weight, isNumber: true, isMinor: true },
        { head: 'Members', cell: ({ members }) => formatCount(members), isNumber: true, isMinor: true },
        { head: 'Created', cell: ({ created_at }) => <Moment at={created_at} />, isMinor: true },
        {
          head: 'Actions',
          className: 'w-8 text-right [th&]:text-transparent',
          cell: (project) => (
            <Menu
              trigger={
                <IconButton label={`Actions for ${project.name}`}>
                  <Ellipsis />
                </IconButton>
              }
              actions={[
                { label: 'Edit the limits', onSelect: () => onEdit(project) },
                null,
                project.suspended_at === null
                  ? { label: 'Suspend', isDanger: true, onSelect: () => onSuspend(project) }
                  : { label: 'Resume', onSelect: () => onResume(project) },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

function Name({ project: { id, name, suspended_at } }: { project: ManagedProject }) {
  return (
    <div className="min-w-28">
      <Link
        to="/p/$project/$mode/queue"
        params={{ project: id, mode: 'live' }}
        className="font-medium break-words hover:text-accent"
      >
        {name}
      </Link>
      {suspended_at === null ? (
        <div className="max-md:hidden text-quiet">
          <Copyable text={id} label="project id" />
        </div>
      ) : (
        <div className="text-small">
          <StatusDot tone="failed">Suspended</StatusDot>{' '}
          <span className="text-quiet">
            <Moment at={suspended_at} />
          </span>
        </div>
      )}
    </div>
  );
}

function PerMode({ project, what }: { project: ManagedProject; what: 'running' | 'waiting' }) {
  const { live, test } = project[what];
  const limit = project[`${what}_limit`];
  return (
    <>
      {formatCount(live)} <span className="text-quiet">of {formatCount(limit)}</span>
      {test > 0 && <div className="text-test">{formatCount(test)} test</div>}
    </>
  );
}

function Stored({ project: { stored_bytes, storage_limit_bytes } }: { project: ManagedProject }) {
  // The limit applies to each mode, and the sum of both is all that is known.
  const limit = storage_limit_bytes * 2;
  return (
    <div>
      <div className="mb-1 font-mono text-small whitespace-nowrap">
        {formatBytes(stored_bytes)} <span className="text-quiet">of 2 × {formatBytes(storage_limit_bytes)}</span>
      </div>
      <Meter label="Stored bytes" used={stored_bytes} limit={limit} />
    </div>
  );
}
