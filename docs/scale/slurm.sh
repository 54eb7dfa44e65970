#!/bin/sh
#SBATCH --job-name=similar-shards
#SBATCH --array=0-63
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
# A job for each shard, on a file system that all machines share:
#
#	id=$(sbatch --parsable slurm.sh papers /data/papers-7)
#	sbatch --dependency=afterok:$id --wrap 'similar seal /data/papers-7'
#
# For another number of shards: sbatch --array=0-7 slurm.sh …
set -eu
version=$2
similar index "$1" -o "$version" -shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" -memory 768MB || [ $? -eq 3 ]
