import { Download, Maximize, Pause, Play, Repeat, Volume2, VolumeX } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { saveAs } from './save-as.ts';
import { toast } from './toasts.tsx';

const speeds = [0.25, 0.5, 1, 2] as const;

interface PlayerProps {
  src: string;
  poster: string | null;
  width: number;
  height: number;
  fps: number;
  hasAudio: boolean;
  /** The name of the downloaded file. */
  fileName: string;
  /** What the video shows, for people who cannot see it. */
  label: string;
  /** Whether the space bar plays it wherever the focus is. For the one player of a page. */
  isMain?: boolean;
  isPlayingAtOnce?: boolean;
  /** Called if the video cannot be loaded, for example because its link has expired. */
  onBroken?: () => void;
}

/** Shows a video with its controls. Keys: space, arrows (a frame), shift and arrows (a second), home, end, l, f, m. */
export function Player(props: PlayerProps) {
  const {
    src,
    poster,
    width,
    height,
    fps,
    hasAudio,
    fileName,
    label,
    isMain = false,
    isPlayingAtOnce = false,
    onBroken,
  } = props;
  const frame = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const [isLooping, setIsLooping] = useState(true);
  const [isMuted, setIsMuted] = useState(true);
  const [speed, setSpeed] = useState<number>(1);
  const [isSaving, setIsSaving] = useState(false);
  const { seconds, total } = usePlayTime(video, isPlaying);

  const turn = (): void => {
    const { current } = video;
    if (!current) return;
    if (current.paused) void current.play().catch(() => setIsPlaying(false));
    else current.pause();
  };
  const seek = (to: number): void => {
    const { current } = video;
    if (current) current.currentTime = Math.max(0, Math.min(to, current.duration || 0));
  };
  const chooseSpeed = (next: number): void => {
    setSpeed(next);
    if (video.current) video.current.playbackRate = next;
  };
  const fill = (): void => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void frame.current?.requestFullscreen();
  };
  const save = async (): Promise<void> => {
    setIsSaving(true);
    try {
      await saveAs(src, fileName);
    } catch {
      toast('The video could not be downloaded. Reload the page to get a new link.');
    }
    setIsSaving(false);
  };

  const onKey = (event: KeyboardEvent): void => {
    // The choice of a speed uses letters and arrows itself.
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const step = event.shiftKey ? 1 : 1 / fps;
    const now = video.current?.currentTime ?? 0;
    const actions: Record<string, () => void> = {
      ' ': turn,
      k: turn,
      ArrowLeft: () => seek(now - step),
      ArrowRight: () => seek(now + step),
      Home: () => seek(0),
      End: () => seek(total),
      l: () => setIsLooping(!isLooping),
      f: fill,
      m: () => setIsMuted(!isMuted),
    };
    const action = actions[event.key];
    // A button that has the focus takes the space bar itself.
    if (!action || (event.key === ' ' && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  usePageSpace(isMain, turn);

  return (
    <div
      ref={frame}
      role="group"
      aria-label={`Video: ${label}`}
      onKeyDown={onKey}
      className="group/player relative flex size-full flex-col justify-center bg-black [&:fullscreen]:p-0"
    >
      <video
        ref={video}
        src={src}
        {...(poster ? { poster } : {})}
        width={width}
        height={height}
        loop={isLooping}
        muted={isMuted}
        playsInline
        autoPlay={isPlayingAtOnce && !prefersStillness()}
        preload="metadata"
        onError={onBroken}
        aria-label={label}
        onClick={turn}
        onPlay={() => setIsPlaying(true)}
        onPause={() => setIsPlaying(false)}
        className="block size-full min-h-0 object-contain"
      />
      <div
        className={classes(
          'absolute inset-x-0 bottom-0 flex items-center gap-0.5 bg-black/70 px-1.5 text-film transition-opacity duration-150',
          'group-focus-within/player:opacity-100 group-hover/player:opacity-100 pointer-coarse:opacity-100',
          isPlaying && 'opacity-0',
        )}
      >
        <IconButton look="film" label={isPlaying ? 'Pause' : 'Play'} onClick={turn}>
          {isPlaying ? <Pause /> : <Play />}
        </IconButton>
        <input
          type="range"
          aria-label="Position"
          aria-valuetext={`${seconds.toFixed(1)} of ${total.toFixed(1)} seconds`}
          min={0}
          max={total || 1}
          step={1 / fps}
          value={seconds}
          onChange={(event) => seek(Number(event.target.value))}
          className="h-1 min-w-8 grow cursor-pointer accent-film"
        />
        <span className="px-1.5 font-mono text-small whitespace-nowrap max-sm:hidden">
          {seconds.toFixed(1)} / {total.toFixed(1)} s
        </span>
        <select
          aria-label="Speed"
          value={speed}
          onChange={(event) => chooseSpeed(Number(event.target.value))}
          className="h-8 rounded-box bg-transparent px-1 font-mono [field-sizing:content] text-small hover:bg-film/20 [&>option]:bg-black"
        >
          {speeds.map((one) => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </select>
        <IconButton
          look="film"
          label={isLooping ? 'Play once' : 'Loop'}
          aria-pressed={isLooping}
          onClick={() => setIsLooping(!isLooping)}
          className={isLooping ? '' : 'opacity-60'}
        >
          <Repeat />
        </IconButton>
        {hasAudio && (
          <IconButton look="film" label={isMuted ? 'Sound on' : 'Sound off'} onClick={() => setIsMuted(!isMuted)}>
            {isMuted ? <VolumeX /> : <Volume2 />}
          </IconButton>
        )}
        <IconButton look="film" label="Download" isBusy={isSaving} onClick={() => void save()}>
          <Download />
        </IconButton>
        <IconButton look="film" label="Full screen" onClick={fill}>
          <Maximize />
        </IconButton>
      </div>
    </div>
  );
}

function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Returns the position and the length of a video; while it plays, again for every frame of the screen. */
function usePlayTime(
  video: RefObject<HTMLVideoElement | null>,
  isPlaying: boolean,
): { seconds: number; total: number } {
  const [time, setTime] = useState({ seconds: 0, total: 0 });
  const read = useEffectEvent(() => {
    const { current } = video;
    if (!current) return;
    setTime({ seconds: current.currentTime, total: Number.isFinite(current.duration) ? current.duration : 0 });
  });
  useEffect(() => {
    const { current } = video;
    if (!current) return;
    const listener = (): void => read();
    const names = ['timeupdate', 'seeking', 'seeked', 'loadedmetadata', 'durationchange'];
    for (const name of names) current.addEventListener(name, listener);
    listener();
    return () => {
      for (const name of names) current.removeEventListener(name, listener);
    };
  }, [video]);
  useEffect(() => {
    if (!isPlaying) return;
    let request = requestAnimationFrame(function next() {
      read();
      request = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(request);
  }, [isPlaying]);
  return time;
}

/** Calls back for the space bar, unless an element that uses it has the focus. */
function usePageSpace(isOn: boolean, onSpace: () => void): void {
  const act = useEffectEvent(onSpace);
  useEffect(() => {
    if (!isOn) return;
    const listener = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== ' ' || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof HTMLElement ? event.target : null;
      const users =
        'input, textarea, select, button, a, summary, [contenteditable], [role=dialog], [role=tab], [role=menu]';
      if (target?.closest(users)) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, [isOn]);
}
