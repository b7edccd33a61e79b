const cards = Array.from({ length: 12 }, (_, index) => index * 30);

/** The logo and the spinner: the wheel of photographs of the Kinora of 1896, from the side. It spins while something renders. */
export function Logo({ size = 24, isSpinning = false }: { size?: number; isSpinning?: boolean }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      className={isSpinning ? 'spinning' : ''}
      data-spinning={isSpinning}
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
          fill={angle === 0 ? 'var(--accent)' : 'var(--quiet)'}
        />
      ))}
      <circle cx="12" cy="12" r="2" fill="var(--quiet)" />
    </svg>
  );
}
