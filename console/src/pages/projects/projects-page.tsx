import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { allProjectsQuery, changeProject, type ManagedProject } from '../../api/all-projects.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { formatCount } from '../../design/format.ts';
import { Page } from '../../design/page.tsx';
import { Empty, NoPermission, Problem, SkeletonRows } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { CreateProjectDialog } from './create-project-dialog.tsx';
import { EditProjectDialog } from './edit-project-dialog.tsx';
import { ProjectTable } from './project-table.tsx';

type Open = { create: true } | { edit: ManagedProject } | { suspend: ManagedProject };

export function ProjectsPage() {
  const { person } = useSession();
  if (!person.is_operator) {
    return (
      <Page title="Projects">
        <NoPermission>Only operators can create projects and set their limits.</NoPermission>
      </Page>
    );
  }
  return <Projects />;
}

function Projects() {
  const { data, error, refetch } = useQuery({ ...allProjectsQuery, refetchInterval: 10_000 });
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const refresh = allProjectsQuery.queryKey;
  // The top line lists the projects of the session.
  const refreshSession = () => void queryClient.invalidateQueries(sessionQuery);
  const suspend = useChange((project: ManagedProject) => changeProject(project.id, { is_suspended: true }), {
    refresh,
    onDone: (_, { name }) => {
      refreshSession();
      toast(`${name} is suspended.`);
    },
  });
  const resume = useChange((project: ManagedProject) => changeProject(project.id, { is_suspended: false }), {
    refresh,
    onDone: (_, { name }) => {
      refreshSession();
      toast(`${name} is active again.`);
    },
    onFailed: (failure) => toast(failure.message),
  });
  const createButton = (
    <Button look="primary" onClick={() => setOpen({ create: true })}>
      <Plus />
      Create a project
    </Button>
  );
  return (
    <Page
      title="Projects"
      lead="The limits of each project, and its current use."
      actions={data && data.length > 0 && createButton}
    >
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows />}
      {data?.length === 0 && (
        <Empty title="No projects yet" action={createButton}>
          A project has its own keys, tasks, files, limits and members.
        </Empty>
      )}
      {data && data.length > 0 && (
        <ProjectTable
          projects={data}
          onEdit={(edit) => setOpen({ edit })}
          onSuspend={(project) => setOpen({ suspend: project })}
          onResume={(project) => resume.mutate(project)}
        />
      )}
      {open && 'create' in open && <CreateProjectDialog onClose={close} onCreated={refreshSession} />}
      {open && 'edit' in open && <EditProjectDialog project={open.edit} onClose={close} />}
      {open && 'suspend' in open && (
        <ConfirmDialog
          title={`Suspend ${open.suspend.name}?`}
          action="Suspend"
          dismissal="Cancel"
          isDanger
          onConfirm={() => suspend.mutateAsync(open.suspend)}
          onClose={close}
        >
          <SuspendMeaning project={open.suspend} />
        </ConfirmDialog>
      )}
    </Page>
  );
}

function SuspendMeaning({ project: { running, waiting } }: { project: ManagedProject }) {
  const runs = running.live + running.test;
  const waits = waiting.live + waiting.test;
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4">
      <li>Within about a second, all its requests are refused and its video links stop working.</li>
      <li>
        {runs === 0
          ? 'No tasks are running.'
          : `${formatCount(runs)} running ${runs === 1 ? 'task ends' : 'tasks end'} normally.`}{' '}
        {waits === 0
          ? 'No tasks are waiting.'
          : `${formatCount(waits)} waiting ${waits === 1 ? 'task starts' : 'tasks start'} only after you resume the project.`}
      </li>
      <li>Nothing is deleted. Resume the project to undo all of this.</li>
    </ul>
  );
}
