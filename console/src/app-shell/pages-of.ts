import {
  Activity,
  ChartLine,
  Clapperboard,
  GalleryThumbnails,
  Gauge,
  KeyRound,
  ListVideo,
  type LucideIcon,
  ScrollText,
  Server,
  SquareStack,
  UserRound,
  Users,
  Webhook,
} from 'lucide-react';
import type { ProjectRole } from '../api/session.ts';

export interface ProjectPage {
  name: string;
  to:
    | '/p/$project/$mode/create'
    | '/p/$project/$mode/queue'
    | '/p/$project/$mode/gallery'
    | '/p/$project/$mode/usage'
    | '/p/$project/$mode/keys'
    | '/p/$project/$mode/webhooks'
    | '/p/$project/$mode/limits'
    | '/p/$project/$mode/audit-log'
    | '/p/$project/$mode/members';
  icon: LucideIcon;
  role: ProjectRole;
}

/** The pages of a project: those where people work, and those where they manage it. */
export const workPages: readonly ProjectPage[] = [
  { name: 'Create', to: '/p/$project/$mode/create', icon: Clapperboard, role: 'developer' },
  { name: 'Queue', to: '/p/$project/$mode/queue', icon: ListVideo, role: 'viewer' },
  { name: 'Gallery', to: '/p/$project/$mode/gallery', icon: GalleryThumbnails, role: 'viewer' },
  { name: 'Usage', to: '/p/$project/$mode/usage', icon: ChartLine, role: 'viewer' },
];
export const managePages: readonly ProjectPage[] = [
  { name: 'Keys', to: '/p/$project/$mode/keys', icon: KeyRound, role: 'admin' },
  { name: 'Webhooks', to: '/p/$project/$mode/webhooks', icon: Webhook, role: 'developer' },
  { name: 'Limits', to: '/p/$project/$mode/limits', icon: Gauge, role: 'viewer' },
  { name: 'Audit log', to: '/p/$project/$mode/audit-log', icon: ScrollText, role: 'admin' },
  { name: 'Members', to: '/p/$project/$mode/members', icon: UserRound, role: 'admin' },
];

export const operatorPages = [
  { name: 'Engines', to: '/engines', icon: Server },
  { name: 'Projects', to: '/projects', icon: SquareStack },
  { name: 'People', to: '/people', icon: Users },
  { name: 'Health', to: '/health', icon: Activity },
] as const;
