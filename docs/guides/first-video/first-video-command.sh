kinora generate 'A paper boat drifts down a rain-soaked street' \
  --resolution 480p --aspect-ratio 1:1 --duration 1 --output paper-boat.mp4
