import { useEffect, useEffectEvent, useState } from 'react';

/** Calls back with an image that is dropped anywhere on the page or pasted. Returns whether one is above the page. */
export function useImageFiles(onFile: (file: File) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useEffectEvent((data: DataTransfer | null): boolean => {
    const file = [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/'));
    if (!file) return false;
    onFile(file);
    return true;
  });
  useEffect(() => {
    const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent): void => {
      // Null: it left the window, and not only one element for another.
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      take(event.dataTransfer);
    };
    const paste = (event: ClipboardEvent): void => {
      if (take(event.clipboardData)) event.preventDefault();
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    addEventListener('paste', paste);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
      removeEventListener('paste', paste);
    };
  }, []);
  return isOver;
}
