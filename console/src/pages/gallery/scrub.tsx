import { type PointerEvent, useRef, useState } from 'react';
import { framePosition, sheetSize } from './spritesheet.ts';

/** Shows the frame under the pointer, from left to right; the spritesheet is loaded when the pointer comes. */
export function useScrub(spritesheetUrl: string | null) {
  const [sheet, setSheet] = useState<string | null>(null);
  const picture = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const share = useRef(0);
  const isOver = useRef(false);
  const draw = (): void => {
    // Written directly: a render per move of the pointer would be too slow.
    if (picture.current) picture.current.style.backgroundPosition = framePosition(share.current);
    if (line.current) line.current.style.left = `${share.current * 100}%`;
  };
  const listeners = {
    onPointerEnter: (event: PointerEvent) => {
      if (event.pointerType !== 'mouse' || spritesheetUrl === null) return;
      isOver.current = true;
      const image = new Image();
      image.src = spritesheetUrl;
      void image.decode().then(
        () => {
          if (isOver.current) setSheet(spritesheetUrl);
        },
        // The thumbnail stays.
        () => undefined,
      );
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const { left, width } = event.currentTarget.getBoundingClientRect();
      share.current = Math.max(0, Math.min(1, (event.clientX - left) / width));
      draw();
    },
    onPointerLeave: () => {
      isOver.current = false;
      setSheet(null);
    },
  };
  const overlay = sheet && (
    <>
      <div
        ref={(element) => {
          picture.current = element;
          draw();
        }}
        className="absolute inset-0"
        style={{ backgroundImage: `url("${sheet}")`, backgroundSize: sheetSize }}
      />
      <div
        ref={(element) => {
          line.current = element;
          draw();
        }}
        className="absolute inset-y-0 w-px bg-accent"
      />
    </>
  );
  return { listeners, overlay };
}
