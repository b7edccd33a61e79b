import { Page } from '../../design/page.tsx';

export function ProjectsPage() {
  return <Page title="Projects">…</Page>;
}
