import { Page } from '../../design/page.tsx';

export function TaskPage() {
  return <Page title="Task">…</Page>;
}
