import { ShownOnce } from '../../design/shown-once.tsx';

export interface SetupLink {
  /** Whose link it is. */
  name: string;
  url: string;
}

/** The link with which somebody sets a password. The server keeps only its hash. */
export function SetupLinkDialog({ link, onClose }: { link: SetupLink; onClose: () => void }) {
  return (
    <ShownOnce
      title={`A link for ${link.name}`}
      lead="The person who opens it chooses the password, so send it to nobody else. It works once, within 7 days."
      secret={link.url}
      secretName="Link that sets a password"
      onClose={onClose}
    >
      <p className="text-quiet">You cannot see this link again, but you can make another one, which ends this one.</p>
    </ShownOnce>
  );
}
