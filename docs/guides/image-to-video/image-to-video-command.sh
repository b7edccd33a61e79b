kinora generate 'The camera moves in slowly' --image "$1" --resolution 480p --duration 1 --output moving-photo.mp4
