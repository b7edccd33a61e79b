import { Page } from '../../design/page.tsx';

export function WelcomePage() {
  return <Page title="Welcome">…</Page>;
}
