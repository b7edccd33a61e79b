import { Page } from '../../design/page.tsx';

export function SetPasswordPage() {
  return <Page title="SetPassword">…</Page>;
}
