import { Page } from '../../design/page.tsx';

export function QueuePage() {
  return <Page title="Queue">…</Page>;
}
