import { useSession } from '../../api/session.ts';
import { Page } from '../../design/page.tsx';
import { NoPermission } from '../../design/states.tsx';
import { DoctorSection } from './doctor-section.tsx';
import { InstallationAudit } from './installation-audit.tsx';
import { PartList } from './part-list.tsx';
import { RoleList } from './role-list.tsx';

export function HealthPage() {
  const { person, version, environment } = useSession();
  if (!person.is_operator) {
    return (
      <Page title="Health">
        <NoPermission>Only operators can see the health of the installation.</NoPermission>
      </Page>
    );
  }
  return (
    <Page title="Health" lead={`Kinora ${version}, ${environment}.`}>
      <PartList />
      <RoleList />
      <DoctorSection />
      <InstallationAudit />
    </Page>
  );
}
