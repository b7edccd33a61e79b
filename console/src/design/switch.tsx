import { Switch as Base } from '@base-ui/react/switch';

export function Switch({
  label,
  isOn,
  onChange,
  isDisabled = false,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
}) {
  return (
    <label className="inline-flex items-center gap-2">
      <Base.Root
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        className="h-4 w-7 rounded-round border border-line-strong bg-raised-more p-px data-checked:bg-accent"
      >
        <Base.Thumb className="block size-3 rounded-round bg-ink transition-transform duration-150 data-checked:translate-x-3 data-checked:bg-accent-ink" />
      </Base.Root>
      {label}
    </label>
  );
}
