import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { classes } from './classes.ts';

export interface MenuAction {
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  isDanger?: boolean;
  isDisabled?: boolean;
}

/** A button that opens a list of actions. Null draws a line between groups. */
export function Menu({
  trigger,
  actions,
  isOpenAtFirst = false,
}: {
  trigger: ReactElement;
  actions: readonly (MenuAction | null)[];
  isOpenAtFirst?: boolean;
}) {
  return (
    <Base.Root defaultOpen={isOpenAtFirst}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-40">
          <Base.Popup className="min-w-44 rounded-box border border-line-strong bg-raised p-1">
            {actions.map((action, index) =>
              action === null ? (
                <Base.Separator key={index} className="my-1 h-px bg-line" />
              ) : (
                <Base.Item
                  key={action.label}
                  onClick={action.onSelect}
                  disabled={action.isDisabled ?? false}
                  className={classes(
                    'flex cursor-default items-center gap-2 rounded-small px-2 py-1 data-disabled:opacity-50 data-highlighted:bg-raised-more [&_svg]:size-4',
                    action.isDanger && 'text-failed',
                  )}
                >
                  {action.icon}
                  {action.label}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
