import { LogOut } from 'lucide-react';
import { useSession } from '../../api/session.ts';
import { signOut } from '../../api/sign-out.ts';
import { setTheme, useTheme } from '../../app-shell/theme.ts';
import { Button } from '../../design/button.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Segments } from '../../design/segments.tsx';
import { Label } from '../../design/status.tsx';
import { ChangePassword } from './change-password.tsx';
import { SessionList } from './session-list.tsx';

export function ProfilePage() {
  const { person, projects, version } = useSession();
  const { chosen } = useTheme();
  return (
    <Page
      isWide={false}
      title={person.name}
      lead={person.email}
      actions={
        <Button onClick={() => void signOut()}>
          <LogOut />
          Sign out
        </Button>
      }
    >
      <Section title="Roles">
        {person.is_operator && (
          <p className="flex items-center gap-2 py-1">
            <Label tone="live">operator</Label> You can manage this installation and are admin of every project.
          </p>
        )}
        {!person.is_operator && projects.length === 0 && (
          <p className="py-1 text-quiet">You have no role in any project yet. Ask a project admin to add you.</p>
        )}
        {!person.is_operator &&
          projects.map(({ id, name, role }) => (
            <p key={id} className="flex justify-between gap-4 border-b py-1.5 last:border-0">
              <span className="min-w-0 truncate">{name}</span>
              <span className="text-quiet">{role}</span>
            </p>
          ))}
      </Section>
      <SessionList />
      <ChangePassword />
      <Section title="Theme">
        <div className="flex py-1">
          <Segments
            label="Theme"
            value={chosen ?? 'system'}
            options={[
              { value: 'system', label: 'System' },
              { value: 'dark', label: 'Dark' },
              { value: 'light', label: 'Light' },
            ]}
            onChange={(next) => setTheme(next === 'system' ? null : next)}
          />
        </div>
      </Section>
      <p className="text-small text-quiet">Kinora {version}</p>
    </Page>
  );
}
