const cards = Array.from({ length: 12 }, (_, index) => index * 30);

/** The mark: the wheel of photographs of the Kinora of 1896, from the side. It turns while something renders. */
export function Wheel({ size = 24, isTurning = false }: { size?: number; isTurning?: boolean }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      className={isTurning ? 'turning' : ''}
      data-turning={isTurning}
    >
      {cards.map((angle) => (
        <rect
          key={angle}
          x="11.1"
          y="0.8"
          width="1.8"
          height="7"
          rx="0.9"
          transform={`rotate(${angle} 12 12)`}
          fill={angle === 0 ? 'var(--lamp)' : 'var(--quiet)'}
        />
      ))}
      <circle cx="12" cy="12" r="2" fill="var(--quiet)" />
    </svg>
  );
}
