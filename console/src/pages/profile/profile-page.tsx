import { Page } from '../../design/page.tsx';

export function ProfilePage() {
  return <Page title="Profile">…</Page>;
}
