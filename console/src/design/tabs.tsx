import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

/** Panels of which one is shown. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { name: string; content: ReactNode }[] }) {
  return (
    <Base.Root defaultValue={tabs[0]?.name ?? ''}>
      <Base.List aria-label={label} className="flex gap-1 border-b">
        {tabs.map(({ name }) => (
          <Base.Tab
            key={name}
            value={name}
            className="-mb-px border-b-2 border-transparent px-2 py-1 text-quiet hover:text-ink data-active:border-accent data-active:text-ink"
          >
            {name}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ name, content }) => (
        <Base.Panel key={name} value={name} className="pt-3">
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
