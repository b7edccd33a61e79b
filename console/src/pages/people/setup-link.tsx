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
      title={`Password link for ${link.name}`}
      lead="Send this link only to them: whoever opens it sets the password. It works once and expires after a few days."
      secret={link.url}
      secretName="Password link"
      onClose={onClose}
    >
      <p className="text-quiet">You cannot see this link again. If you create another one, this one stops working.</p>
    </ShownOnce>
  );
}
